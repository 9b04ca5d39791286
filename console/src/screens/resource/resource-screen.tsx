import { useParams } from '@tanstack/react-router'
import { Empty } from '../../ui/states.js'
import { declarationAt } from './declarations.js'
import { ResourceDetail } from './resource-detail.js'
import { ResourceList } from './resource-list.js'

/** The screen of a resource, or of one thing of it, by what the address says. */
export function ResourceScreen() {
  const { resource = '', id }: { resource?: string; id?: string } = useParams({ strict: false })
  const declaration = declarationAt(resource)
  if (declaration === undefined) {
    return <Empty title="There is no such screen">The menu leads to all that there are.</Empty>
  }
  if (id === undefined) return <ResourceList key={resource} declaration={declaration} />
  return <ResourceDetail key={resource} declaration={declaration} />
}
