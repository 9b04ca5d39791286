import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import { createLog, type LogTerminal } from '../../src/cli/log.js'
import type { Config } from '../../src/config.js'

/** The lines that a few entries give. */
function linesOf(logFormat: Config['logFormat'], terminal: LogTerminal): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'svc-log-'))
  const file = join(directory, 'log')
  const fd = openSync(file, 'w')
  const log = createLog({ logLevel: 'info', logFormat }, terminal, fd)
  log.info({ requestId: 'r1', method: 'PUT', path: '/v2/users/user_ada', status: 200, durationMs: 3.2 }, 'request')
  log.error({ requestId: 'r2', method: 'GetUser', err: new Error('lost') }, 'call failed')
  log.debug('not shown')
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  closeSync(fd)
  rmSync(directory, { recursive: true })
  return lines
}

const terminal: LogTerminal = { isTTY: true, hasColors: () => true }
const pipe = {}

describe('the log', () => {
  it.each([
    ['in a pipe', undefined, pipe],
    ['on a terminal by LOG_FORMAT=json', 'json', terminal],
  ] as const)('is JSON with one object per line, %s', (_, format, output) => {
    const lines = linesOf(format, output).map((line) => JSON.parse(line))
    expect(lines).toEqual([
      expect.objectContaining({ msg: 'request', method: 'PUT', path: '/v2/users/user_ada', status: 200 }),
      expect.objectContaining({
        msg: 'call failed',
        method: 'GetUser',
        err: expect.objectContaining({ message: 'lost' }),
      }),
    ])
  })

  it.each([
    ['in a pipe by LOG_FORMAT=pretty', 'pretty', pipe, false],
    ['on a terminal', undefined, terminal, true],
    ['on a terminal without colours', undefined, { isTTY: true, hasColors: (): boolean => false }, false],
  ] as const)('is formatted for people %s', (_, format, output, coloured) => {
    const lines = linesOf(format, output)
    const text = lines.map(stripVTControlCharacters)
    expect(text.join() !== lines.join()).toBe(coloured)
    expect(text[0]).toMatch(
      /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: PUT \/v2\/users\/user_ada 200 in 3.2 ms \{"requestId":"r1"\}$/,
    )
    expect(text[1]).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] ERROR: call failed: GetUser \{"requestId":"r2"/)
    expect(text.join('\n')).toContain('Error: lost')
  })
})
