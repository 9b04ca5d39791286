/** Stands in requests for eight digits that are others in every request: the request has the same length with them. */
export const SERIAL = '~serial~'

/** The same digits, as the first and the last four of them, for IPv6 addresses. */
export const SERIAL_PARTS = ['~hi~', '~lo~'] as const

/** Makes serials, each greater than all that any process has made before, up to 65,536 a second. */
export function createSerials(): () => string {
  let next = (Math.floor(Date.now() / 1000) % 0x10000) * 0x10000
  return () => (next++ >>> 0).toString(16).padStart(8, '0')
}

/** The request with a serial in its places. */
export function withSerial(request: string, serial: string): string {
  const [high, low] = SERIAL_PARTS
  return request.replaceAll(SERIAL, serial).replaceAll(high, serial.slice(0, 4)).replaceAll(low, serial.slice(4))
}
