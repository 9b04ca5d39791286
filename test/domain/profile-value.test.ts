import { describe, expect, it } from '@jest/globals'
import { phoneNumberFromText, profileValuesOf } from '../../src/domain/profile/profile-value.js'
import { emailAddressFault, emailKeyOf } from '../../src/domain/value/email-address.js'
import { timezoneFromText } from '../../src/domain/value/timezone.js'

const local64 = 'a'.repeat(64)
const label63 = 'b'.repeat(63)

describe('an email address', () => {
  it.each([
    'ada@example.com',
    "o'hara+tag@sub.example.co.uk",
    'a@b.co',
    'x@xn--mnchen-3ya.example',
    '1@1.example',
    `${local64}@example.com`,
    `a@${label63}.example`,
    `${local64}@${label63}.${label63}.${'c'.repeat(61)}`, // 254 octets
  ])('such as %s is accepted', (address) => {
    expect(emailAddressFault(address)).toBeUndefined()
  })

  it.each([
    ['', 'nothing'],
    ['ada', 'no @'],
    ['ada@', 'no domain'],
    ['@example.com', 'no local part'],
    ['ada@example', 'one label'],
    ['ada@@example.com', 'two @'],
    ['ada lovelace@example.com', 'white space'],
    ['ada@example.com ', 'white space at the end'],
    ['Ada <ada@example.com>', 'a display name'],
    ['.ada@example.com', 'a dot in front'],
    ['ada..l@example.com', 'two dots'],
    ['"ada l"@example.com', 'a quoted string'],
    ['ada@-example.com', 'a label that starts with a hyphen'],
    ['ada@example-.com', 'a label that ends with a hyphen'],
    ['ada@exa_mple.com', 'an underscore in the domain'],
    ['ada@[127.0.0.1]', 'an address literal'],
    ['ada@127.0.0.1', 'an IPv4 address'],
    ['ada@example.com.', 'a dot at the end'],
    ['adä@example.com', 'letters beyond ASCII'],
    [`a${local64}@example.com`, 'a local part of 65'],
    [`a@b${label63}.example`, 'a label of 64'],
    ['ada\u0000@example.com', 'a control character'],
  ])('such as %j is refused: %s', (address) => {
    expect(emailAddressFault(address)).toBeDefined()
  })

  it('is compared in ASCII lower case, as the database does', () => {
    expect(emailKeyOf('Ada.LOVELACE@Example.COM')).toBe('ada.lovelace@example.com')
    expect(emailKeyOf('İ')).toBe('İ')
  })
})

describe('a phone number', () => {
  it.each([
    ['+14155552671', '+14155552671'],
    ['+1 (415) 555-2671', '+14155552671'],
    ['+44 20 7946 0958', '+442079460958'],
    ['+41 (0)79 123 45 67', '+41791234567'],
    ['+49.30.901820', '+4930901820'],
    ['+390612345678', '+390612345678'], // Italy keeps its leading 0.
    ['+80012345678', '+80012345678'], // No country: international freephone.
    ['+15555550100', '+15555550100'], // A range that is not in use.
  ])('%s is stored as %s', (text, number) => {
    expect(phoneNumberFromText(text)).toBe(number)
  })

  it.each([
    ['12345', 'no calling code'],
    ['4155552671', 'no calling code'],
    ['0041791234567', 'a dialling prefix in place of +'],
    ['+1415555267', 'too short for its plan'],
    ['+141555526711', 'too long for its plan'],
    ['+999123456789', 'an unassigned calling code'],
    ['+14155552671 ext. 5', 'an extension'],
    ['tel:+14155552671', 'a URI'],
    ['call +14155552671', 'words'],
    ['+1٤155552671', 'digits of another script'],
    ['+', 'no digits'],
    ['', 'nothing'],
  ])('%j is invalid: %s', (text) => {
    expect(phoneNumberFromText(text)).toBeUndefined()
  })
})

describe('a time zone', () => {
  it.each([
    ['Europe/Paris', 'Europe/Paris'],
    ['europe/paris', 'Europe/Paris'],
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Europe/Kiev', 'Europe/Kyiv'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['America/Indianapolis', 'America/Indiana/Indianapolis'],
    ['Etc/GMT+3', 'Etc/GMT+3'],
    ['UTC', 'UTC'],
  ])('%s is stored as %s', (text, name) => {
    expect(timezoneFromText(text)).toBe(name)
  })

  it.each(['Europe/Atlantis', '+01:00', '', 'Europe/Paris ', '../etc/passwd'])('%j is invalid', (text) => {
    expect(timezoneFromText(text)).toBeUndefined()
  })

  it('is stored under the same name when stored again', () => {
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      const name = timezoneFromText(zone)
      expect([zone, name]).toEqual([zone, expect.any(String)])
      expect(timezoneFromText(name ?? '')).toBe(name)
    }
  })
})

describe('profile values', () => {
  it.each([
    ['AVATAR_URL', 'https://Example.com', 'https://example.com/'],
    ['AVATAR_URL', 'https://example.com:443/a/../b.png', 'https://example.com/b.png'],
    ['LOCALE', 'ZH-hant-tw', 'zh-Hant-TW'],
    ['LOCALE', 'iw', 'he'],
    ['FIRST_NAME', '  Ada ', '  Ada '],
  ])('store %s %s as %s', (field, text, value) => {
    const { values, violations } = profileValuesOf({ [field]: text })
    expect([[...values], violations]).toEqual([[[field, value]], []])
  })

  it.each([
    ['AVATAR_URL', 'http://example.com'],
    ['AVATAR_URL', 'https://user:secret@example.com'],
    ['AVATAR_URL', ' https://example.com'],
    ['AVATAR_URL', 'https://exa\nmple.com'],
    ['AVATAR_URL', 'javascript:alert(1)'],
    ['AVATAR_URL', 'https://'],
    ['AVATAR_URL', `https://example.com/${'a'.repeat(2048)}`],
    ['LOCALE', 'en_GB'],
    ['LOCALE', 'e'],
  ])('refuse %s %j', (field, text) => {
    const { values, violations } = profileValuesOf({ [field]: text }, 'profiles[3].')
    expect(values.size).toBe(0)
    expect(violations).toEqual([
      { field: expect.stringMatching(/^profiles\[3\]\./), description: expect.any(String), reason: 'FIELD_INVALID' },
    ])
  })

  it('are cleared by empty values, and absent where none is given', () => {
    const input = { FIRST_NAME: '', AVATAR_URL: '', TIMEZONE: '', LOCALE: '', PRIMARY_PHONE: '', JOB_TITLE: undefined }
    const { values } = profileValuesOf(input)
    expect(new Set(values.values())).toEqual(new Set(['']))
    expect(values.size).toBe(5)
  })
})
