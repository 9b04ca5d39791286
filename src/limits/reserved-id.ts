import { type DescMethod, getOption } from '@bufbuild/protobuf'
import { http } from '../../gen/google/api/annotations_pb.js'
import { services } from '../../gen/svc/v2/services.js'

const CAPTURE = /^\{\w+\}/

/** Says why an object with a path cannot have the id; undefined if it can. */
export function reservedIdFault(id: string): string | undefined {
  if (!reservedIds.has(id)) return undefined
  return `must not be "${id}", which means something else in paths: choose another id`
}

/** `-` names every team (AIP-159), clients drop `.` and `..` from paths, and the rest are words in the place of ids. */
const reservedIds: ReadonlySet<string> = new Set(['-', '.', '..', ...wordsBesideIds()])

/** The literal segments of paths at which other paths have an id, such as `batch` in `/v2/users/batch`. */
function wordsBesideIds(): string[] {
  const paths = Object.values(services).flatMap(({ methods }) => methods.map(segmentsOf))
  const withIds = new Set(
    paths.flatMap((path) => path.flatMap((segment, at) => (CAPTURE.test(segment) ? prefixOf(path, at) : []))),
  )
  return paths.flatMap((path) =>
    path.filter((segment, at) => !CAPTURE.test(segment) && withIds.has(prefixOf(path, at))),
  )
}

/** The path before a segment, with a placeholder for each id. */
function prefixOf(path: readonly string[], at: number): string {
  return path
    .slice(0, at)
    .map((segment) => segment.replace(CAPTURE, '{}'))
    .join('/')
}

function segmentsOf(method: DescMethod): string[] {
  const { value = '' } = getOption(method, http).pattern
  return typeof value === 'string' ? value.split('/') : []
}
