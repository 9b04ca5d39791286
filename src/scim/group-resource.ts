import type { JsonObject } from '@bufbuild/protobuf'
import { entityTagOf } from '../domain/value/entity-tag.js'
import { groupSchema } from '../store/scim/attributes.js'
import type { ScimGroupRow } from '../store/scim/group.js'

/** The resource of a group as directories see one. */
export function scimGroup(group: ScimGroupRow, baseUrl: string): JsonObject {
  const { id, name, directoryExternalId, members } = group
  return {
    schemas: [groupSchema.id],
    id,
    ...(directoryExternalId !== null && { externalId: directoryExternalId }),
    displayName: name,
    ...(members !== null && {
      members: members.map(({ value, display }) => ({
        value,
        $ref: `${baseUrl}/Users/${encodeURIComponent(value)}`,
        ...(display !== '' && { display }),
        type: 'User',
      })),
    }),
    meta: {
      resourceType: 'Group',
      created: group.createdAt.toISOString(),
      lastModified: group.updatedAt.toISOString(),
      location: locationOfGroup(id, baseUrl),
      version: versionOfGroup(group),
    },
  }
}

/** The address of the resource of a group. */
export function locationOfGroup(id: string, baseUrl: string): string {
  return `${baseUrl}/Groups/${encodeURIComponent(id)}`
}

/** The version of a group, which every change of it and of its members changes. */
export function versionOfGroup({ id, updatedAt }: Pick<ScimGroupRow, 'id' | 'updatedAt'>): string {
  return entityTagOf(JSON.stringify([id, updatedAt]))
}
