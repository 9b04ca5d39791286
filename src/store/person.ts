import type { PersonModel } from '../../gen/prisma/models.js'
import type { Tables } from '../db/tables.js'

/** A person, independent of organizations. */
export type PersonRow = Readonly<PersonModel>

/** Adds persons. */
export async function insertPersons({ models }: Tables, persons: readonly PersonRow[]): Promise<void> {
  if (persons.length > 0) await models.person.createMany({ data: [...persons] })
}

/** Whether a person belongs to more than one organization. */
export async function isInSeveralOrganizations({ models }: Tables, userId: string): Promise<boolean> {
  const found = await models.membership.findMany({ where: { userId }, take: 2, select: { organizationId: true } })
  return found.length > 1
}

/** Gives a person another address in every membership. The caller has locked both addresses. */
export async function updateEmailOfPerson({ models }: Tables, { id, ...data }: PersonRow): Promise<void> {
  await models.person.update({ where: { id }, data, select: { id: true } })
}
