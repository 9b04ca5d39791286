import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** The uid and gid that the server processes get; PostgreSQL refuses to run as root. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

const PREFERRED = ['svc', 'postgres', 'nobody']

/**
 * The account that runs the server if this process is root: the first of `svc`, `postgres` and `nobody` that is in the
 * passwd file, because `initdb` needs an entry there. Throws if none exists.
 */
export function unprivilegedAccount(passwd: string = readFileSync('/etc/passwd', 'utf8')): Account {
  const entries = passwd.split('\n').map((line) => line.split(':'))
  for (const name of PREFERRED) {
    const [, , uid, gid] = entries.find((fields) => fields[0] === name) ?? []
    // macOS writes nobody as -2, and the kernel uses its unsigned value.
    if (uid !== undefined && gid !== undefined && Number(uid) !== 0)
      return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }
  }
  throw new Error(
    `the embedded PostgreSQL cannot run as root, and /etc/passwd has none of ${PREFERRED.join(', ')}: ` +
      'add one of them, start as an ordinary user, or set DATABASE_URL',
  )
}

/** Whether the account may enter the directory: it needs the execute bit there and on every parent directory. */
export function canEnter(account: Account, directory: string): boolean {
  for (let path = resolve(directory); ; path = dirname(path)) {
    const { uid, gid, mode } = statSync(path)
    const executeBit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
    if ((mode & executeBit) === 0) return false
    if (path === dirname(path)) return true
  }
}
