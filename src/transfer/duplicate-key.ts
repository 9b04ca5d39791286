/** Finds a key that stands twice in one object of a text that is known to be JSON; nothing where there is none. */
export function duplicateKey(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  let isKey = false
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case 0x7b: // {
        open.push(new Set())
        isKey = true
        break
      case 0x5b: // [
        open.push(undefined)
        isKey = false
        break
      case 0x7d: // }
      case 0x5d: // ]
        open.pop()
        isKey = false
        break
      case 0x2c: // ,
        isKey = open.at(-1) !== undefined
        break
      case 0x22: {
        const end = endOfString(json, at)
        const keys = open.at(-1)
        if (isKey && keys !== undefined) {
          const key = keyFromJson(json.slice(at, end + 1))
          if (keys.has(key)) return key
          keys.add(key)
          isKey = false
        }
        at = end
        break
      }
    }
  }
  return undefined
}

function endOfString(json: string, start: number): number {
  let end = start + 1
  while (json.charCodeAt(end) !== 0x22) end += json.charCodeAt(end) === 0x5c ? 2 : 1
  return end
}

function keyFromJson(literal: string): string {
  return literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1)
}
