import { schema } from '../../gen/prisma/schema.js'
import { AccessPolicySchema } from '../../gen/svc/v2/access_policy_pb.js'
import { declareResource } from './resource/resource.js'
import { createListedStore } from './standard-methods.js'

const some = { take: 1, select: { id: true } } as const

/** Policies for access to apps. */
export const accessPolicyStore = createListedStore(
  declareResource(AccessPolicySchema, schema.AccessPolicy, 'p'),
  ['teamId'],
  {
    create: ({ models }, key, values: { readonly teamId: string; readonly name: string }) =>
      models.accessPolicy.create({ data: { ...key, ...values }, select: { id: true } }),
    update: ({ models }, key, data: { readonly name?: string }) =>
      models.accessPolicy.update({ where: { organizationId_id: key }, data, select: { id: true } }),
    delete: ({ models }, key) =>
      models.accessPolicy.delete({ where: { organizationId_id: key }, select: { id: true } }),
    referrers: ({ models }, key) =>
      models.accessPolicy.findUnique({
        where: { organizationId_id: key },
        select: { approvalProcedures: some, appInstances: some },
      }),
  },
)

/** The statements of this file. */
export const accessPolicyStatements = accessPolicyStore.statements
