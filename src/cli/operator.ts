import { userInfo } from 'node:os'

/** Who runs a command, in words for people, such as `alice (svc keys create)`. */
export function operatorOf(command: string): string {
  return `${userName()} (svc ${command})`
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // The user of a container need not have a name.
    return `user ${process.getuid?.() ?? 'without a name'}`
  }
}
