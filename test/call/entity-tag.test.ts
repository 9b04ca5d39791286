import { expect, it } from '@jest/globals'
import { originalTags } from '../../src/call/entity-tag.js'

it.each([
  ['a tag', '"a"', '"a"'],
  ['a weak tag', 'W/"a"', '"a"'],
  ['a tag with a coding', '"a-gzip"', '"a-gzip", "a"'],
  ['a weak tag with a coding', 'W/"a;br"', '"a;br", "a"'],
  // It may have ended with a hyphen.
  ['a tag with a coding behind two hyphens', '"a--gzip"', '"a--gzip", "a-", "a"'],
  ['a tag with an unknown end', '"a-other"', '"a-other"'],
  ['a coding alone', '"gzip"', '"gzip"'],
  ['a list', '"a", W/"b-zstd" ,, "c"', '"a", "b-zstd", "b" ,, "c"'],
  ['a comma in a tag', 'W/"a,W/b"', '"a,W/b"'],
  ['any', '*', '*'],
  ['what is no tag', 'W/a, "open', 'W/a, "open'],
])('%s is read as it was sent', (_, header, tags) => {
  expect(originalTags(header)).toBe(tags)
})
