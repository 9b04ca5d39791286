import { createHmac } from 'node:crypto'
import type { Tables } from '../../db/tables.js'
import { findSigningKey, replaceSigningKey } from '../../store/signing-key.js'
import type { Peppers, SecretHash } from './secret-hash.js'

const NAME = 'secret_pepper_check'

/**
 * Compares the peppers of this process with the check value in the database. Returns what is wrong and what to do about
 * it, or undefined. Writes nothing.
 */
export async function pepperFault(tables: Tables, peppers: Peppers): Promise<string | undefined> {
  return faultOf(await findSigningKey(tables, NAME), peppers)
}

/**
 * Does what `pepperFault` does, and stores the check value of the current pepper if the database has none, or that of
 * the previous one. Called before peppers are first used, and by servers from time to time, since several peppers are
 * in use while one is being rotated.
 */
export async function notePepper(tables: Tables, peppers: Peppers): Promise<string | undefined> {
  const stored = await findSigningKey(tables, NAME)
  const fault = faultOf(stored, peppers)
  const current = checkOf(peppers.current)
  if (fault !== undefined || isSame(stored, current)) return fault
  await replaceSigningKey(tables, NAME, stored, current)
  // Another process may have been faster, with another pepper.
  return pepperFault(tables, peppers)
}

function faultOf(stored: Uint8Array | undefined, { current, previous }: Peppers): string | undefined {
  if (stored === undefined || [current, previous].some((pepper) => isSame(stored, checkOf(pepper)))) return undefined
  const fault =
    current === undefined
      ? 'SVC_SECRET_PEPPER is not set, but secrets of this database are hashed with one'
      : 'SVC_SECRET_PEPPER is not the one with which secrets of this database are hashed'
  return `${fault}: set that one, or no key and no token is recognized`
}

/** Distinguishes peppers, and does nothing else: it is not the hash of any secret. */
function checkOf(pepper: string | undefined): SecretHash | undefined {
  return pepper === undefined ? undefined : createHmac('sha256', pepper).update('check of the pepper').digest()
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one === undefined || other === undefined ? one === other : Buffer.compare(one, other) === 0
}
