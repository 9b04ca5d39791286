import { ModuleMocker } from 'jest-mock'

export { expect } from 'expect'
export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from 'jest-circus'

/** What tests use of Jest's own object; `run-file.ts` takes back what they have replaced. */
export const jest = new ModuleMocker(globalThis)
