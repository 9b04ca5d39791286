import { schema } from '../../gen/prisma/schema.js'
import { AccessPolicySchema } from '../../gen/svc/v2/access_policy_pb.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'

export const accessPolicyStore = createStandardStore(declareResource(AccessPolicySchema, schema.AccessPolicy, 'p'), {
  searched: 'name',
})
