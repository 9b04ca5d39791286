import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** The next message of a child; throws if it ends instead. */
export async function reply(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController()
  const onExit = (code: number | null) => ended.abort(new Error(`a process ended with ${code}`))
  child.once('exit', onExit)
  try {
    const [message] = await once(child, 'message', { signal: ended.signal })
    return message
  } catch (error) {
    throw ended.signal.reason ?? error
  } finally {
    child.off('exit', onExit)
  }
}
