import { writeFileSync } from 'node:fs'
import type { Ratio, Standing } from './compare.js'

/** One figure and its target. */
export interface Figure {
  readonly work: string
  readonly measured: number
  readonly target: string
  readonly met: boolean
  /** The middle half of what `measured` is the median of. */
  readonly spread?: string
}

/** Collects figures and prints them. */
export interface Report {
  atLeast(work: string, measured: number, target: number): void
  /** The same for a ratio of rounds, with its spread. */
  ratioAtLeast(work: string, ratio: Ratio, target: number): void
  atMost(work: string, measured: number, target: number): void
  /** A figure without a target. */
  note(work: string, measured: number): void
  /** The same for a ratio of rounds, with its spread. */
  noteRatio(work: string, ratio: Ratio): void
  standings(work: string, standings: readonly Standing[]): void
  /** Prints the table and writes everything to a file. */
  finish(file: string): void
}

/** Makes a report that prints each comparison as it comes. */
export function createReport(write: (line: string) => void): Report {
  const figures: Figure[] = []
  const comparisons: { work: string; standings: readonly Standing[] }[] = []
  const add = (work: string, measured: number, target: string, met: boolean) => {
    figures.push({ work, measured, target, met })
  }
  return {
    atLeast: (work, measured, target) => add(work, measured, `>= ${target}`, measured >= target),
    atMost: (work, measured, target) => add(work, measured, `<= ${target}`, measured <= target),
    ratioAtLeast: (work, ratio, target) => {
      const spread = spreadOf(ratio)
      figures.push({ work, measured: ratio.median, target: `>= ${target}`, met: ratio.median >= target, spread })
    },
    noteRatio: (work, ratio) => {
      figures.push({ work, measured: ratio.median, target: '', met: true, spread: spreadOf(ratio) })
    },
    note: (work, measured) => add(work, measured, '', true),
    standings: (work, standings) => {
      comparisons.push({ work, standings })
      write(`\n${work}`)
      for (const each of standings) write(lineOf(each))
    },
    finish: (file) => {
      write('')
      for (const figure of figures) {
        const verdict = figure.target === '' ? '' : figure.met ? 'reached' : 'MISSED'
        const measured = rounded(figure.measured).padStart(9)
        const { work, target, spread = '' } = figure
        write(`${work.padEnd(92)} ${measured}  ${target.padEnd(9)} ${verdict.padEnd(8)} ${spread}`.trimEnd())
      }
      writeFileSync(file, `${JSON.stringify({ node: process.version, figures, comparisons }, undefined, 2)}\n`)
      write(`\nAll figures: ${file}`)
    },
  }
}

function lineOf(each: Standing): string {
  return [
    `  ${each.name.padEnd(24)} ${each.requestsPerSecond.toFixed(0).padStart(7)}/s`,
    `p50 ${rounded(each.p50Millis).padStart(7)} ms`,
    `p99 ${rounded(each.p99Millis).padStart(7)} ms`,
    `cpu ${each.cpuMicrosPerRequest.toFixed(0).padStart(7)} µs/request`,
    ...(Number.isNaN(each.walBytesPerRequest)
      ? []
      : [
          `with PostgreSQL ${each.allCpuMicrosPerRequest.toFixed(0).padStart(7)}`,
          `WAL ${each.walBytesPerRequest.toFixed(0).padStart(8)} B/request`,
        ]),
    ...(Number.isNaN(each.stallMillis) ? [] : [`stall ${each.stallMillis.toFixed(1).padStart(6)} ms`]),
    `ratio ${each.ratio.toFixed(2)}`,
  ].join('  ')
}

function spreadOf({ low, high }: Ratio): string {
  return `(${rounded(low)} to ${rounded(high)})`
}

function rounded(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2)
}
