/** Whether a schema describes what callers send or what they get. */
export type Direction = 'input' | 'output'
