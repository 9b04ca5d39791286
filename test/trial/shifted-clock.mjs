// Loaded into a process before its program: shifts its clock by the milliseconds in a file, whenever they change.
import { readFileSync } from 'node:fs'

const Right = globalThis.Date
const file = new URL(import.meta.url).searchParams.get('file')
const read = () => Number(readFileSync(file, 'utf8'))
let ahead = read()
setInterval(() => {
  ahead = read()
}, 20).unref()
globalThis.Date = class extends Right {
  constructor(...given) {
    if (given.length === 0) super(Right.now() + ahead)
    else super(...given)
  }
  static now() {
    return Right.now() + ahead
  }
}
