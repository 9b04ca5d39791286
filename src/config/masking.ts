import { MASK, withoutPasswords } from '../http/password-masking.js'

/** A value of a variable as it can be shown, its secrets as `***`. */
export function masked(name: string, value: string): string {
  return /^SVC_(SECRET|SEAL)_/.test(name) ? MASK : withoutPasswords(value)
}
