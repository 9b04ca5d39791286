import { create } from '@bufbuild/protobuf'
import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import {
  type CreateSlaDefinitionRequest,
  SlaActionSchema,
  SlaConditionSchema,
  SlaDefinitionSchema,
  type UpdateSlaDefinitionRequest,
} from '../../gen/svc/v2/sla_definition_pb.js'
import type { Tables } from '../db/tables.js'
import { createOwnedList } from './list.js'
import { declareResource } from './resource/resource.js'
import { createRowWriter } from './resource/row-writer.js'
import { createStandardStore, type StandardKey } from './standard-methods.js'

const inDefinition = { parent: 'sla_definition_id', order: ['position', 'id'] }

/** SLA definitions with their conditions and actions. */
export const slaDefinitionResource = declareResource(SlaDefinitionSchema, schema.SlaDefinition, 'd', {
  conditions: {
    kind: 'parts',
    resource: declareResource(SlaConditionSchema, schema.SlaCondition, 'c'),
    ...inDefinition,
  },
  actionDefinitions: {
    kind: 'parts',
    resource: declareResource(SlaActionSchema, schema.SlaAction, 'a'),
    ...inDefinition,
  },
})

/** The definitions of a team in the order of their creation. */
export const slaDefinitionsOfTeam = createOwnedList({
  name: 'list_sla_definitions',
  owner: { table: 'teams', team: 'id' },
  resource: slaDefinitionResource,
  parent: 'team_id',
  order: Prisma.sql`d.ordinal`,
})

type ColumnOfPart = 'organizationId' | 'slaDefinitionId' | 'position'

/** Rows of the lists of a definition, in their order. */
interface SlaDefinitionParts {
  readonly conditions?: readonly Omit<Prisma.SlaConditionCreateManyInput, ColumnOfPart>[] | undefined
  readonly actionDefinitions?: readonly Omit<Prisma.SlaActionCreateManyInput, ColumnOfPart>[] | undefined
}

/** A definition to be stored, with its lists. */
export type NewSlaDefinition = Omit<Prisma.SlaDefinitionCreateManyInput, 'id' | 'organizationId' | 'ordinal'> &
  SlaDefinitionParts & { readonly updatedAt: Date }

/** What is to change about a definition. It is archived only if it is in use, and put back only if it is archived. */
export type SlaDefinitionChange = Partial<NewSlaDefinition>

const writeRow = createRowWriter(slaDefinitionResource)

/** The named fields of a request, as the row and the rows of the lists hold them. Throws if two items have the same id. */
export function slaDefinitionValues(
  request: CreateSlaDefinitionRequest | UpdateSlaDefinitionRequest,
  names: readonly string[],
): SlaDefinitionChange {
  const fields = Object.fromEntries(Object.entries(request).filter(([name]) => names.includes(name)))
  const row = writeRow(create(SlaDefinitionSchema, fields))
  return Object.fromEntries(names.map((name) => [name, row[name]]))
}

/** Get, Create and Update; the list of a team is not paged. */
export const slaDefinitionStore = createStandardStore(slaDefinitionResource, {
  create: async (tables, key, { conditions, actionDefinitions, ...values }: NewSlaDefinition) => {
    await tables.models.slaDefinition.create({ data: { ...key, ...values }, select: { id: true } })
    await replaceParts(tables, key, { conditions, actionDefinitions }, values.updatedAt)
  },
  update: async (tables, key, { conditions, actionDefinitions, ...values }: SlaDefinitionChange) => {
    const { archivedAt, updatedAt } = values
    const state = archivedAt === undefined ? {} : { archivedAt: archivedAt === null ? { not: null } : null }
    await tables.models.slaDefinition.updateMany({ where: { ...key, ...state }, data: values })
    if (updatedAt !== undefined) await replaceParts(tables, key, { conditions, actionDefinitions }, updatedAt)
  },
})

/** Replaces the lists that are given. Actions that stay keep the time of their creation. */
async function replaceParts(
  { models }: Tables,
  { organizationId, id }: StandardKey,
  { conditions, actionDefinitions }: SlaDefinitionParts,
  now: Date,
): Promise<void> {
  const where = { organizationId, slaDefinitionId: id }
  if (conditions !== undefined) {
    await models.slaCondition.deleteMany({ where })
    const data = conditions.map((condition, position) => ({ ...condition, ...where, position }))
    await models.slaCondition.createMany({ data })
  }
  if (actionDefinitions !== undefined) {
    const old = await models.slaAction.findMany({ where, select: { id: true, createdAt: true } })
    const createdAt = new Map(old.map((action) => [action.id, action.createdAt]))
    await models.slaAction.deleteMany({ where })
    const data = actionDefinitions.map((action, position) => {
      const times = { createdAt: createdAt.get(action.id) ?? now, updatedAt: now }
      return { ...action, ...where, position, ...times }
    })
    await models.slaAction.createMany({ data })
  }
}

/** The statements of this file. */
export const slaDefinitionStatements = [...slaDefinitionsOfTeam.statements, ...slaDefinitionStore.statements]
