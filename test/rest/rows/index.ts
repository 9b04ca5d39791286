import { bodies } from './bodies.js'
import { methods } from './methods.js'
import { paths } from './paths.js'
import { queries } from './queries.js'
import { responses } from './responses.js'
import type { Row } from './row.js'

/** Every request of the tables, each under a name of its own. */
export const rows: readonly Row[] = [...paths, ...methods, ...queries, ...bodies, ...responses]
