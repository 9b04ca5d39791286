import { useParams } from '@tanstack/react-router'
import { NoScreen } from '../../ui/screen.js'
import { declarationAt } from './declarations.js'
import { ResourceDetail } from './resource-detail.js'
import { ResourceList } from './resource-list.js'

/** The screen of a resource, or of one thing of it, by what the address says. */
export function ResourceScreen() {
  const { resource = '', id }: { resource?: string; id?: string } = useParams({ strict: false })
  const declaration = declarationAt(resource)
  if (declaration === undefined) return <NoScreen />
  if (id === undefined) return <ResourceList key={resource} declaration={declaration} />
  return <ResourceDetail key={resource} declaration={declaration} />
}
