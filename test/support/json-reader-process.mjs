// Reads JSON as messages with the built reader, for tests of what that costs: the code of a test file runs slower than the
// program. Its first message is the schema, each other one a body, which is read at every "read" that follows.
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { messageFromJson } from '../../dist/src/rest/index.js'

let desc
let bytes

function read() {
  try {
    messageFromJson(desc, bytes)
    return 'taken'
  } catch (error) {
    return error.rawMessage
  }
}

process.on('message', (message) => {
  if (message === 'read') return process.send({ outcome: read() })
  if (message.schema !== undefined) {
    desc = createFileRegistry(fromBinary(FileDescriptorSetSchema, message.schema)).getMessage(message.typeName)
  } else bytes = message.bytes
  process.send('ready')
})
process.on('disconnect', () => process.exit())
