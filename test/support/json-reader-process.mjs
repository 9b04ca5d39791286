// Reads JSON as messages with the built reader, for tests of what that costs: the code of a test file runs slower than the
// program. Its first message is the schema, each other one a body.
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { messageFromJson } from '../../dist/src/rest/index.js'

let desc

function read(bytes) {
  try {
    messageFromJson(desc, bytes)
    return 'taken'
  } catch (error) {
    return error.rawMessage
  }
}

process.on('message', (message) => {
  if (message.bytes !== undefined) return process.send({ outcome: read(message.bytes) })
  desc = createFileRegistry(fromBinary(FileDescriptorSetSchema, message.schema)).getMessage(message.typeName)
  process.send('ready')
})
process.on('disconnect', () => process.exit())
