import { accessPolicyStore } from '../store/access-policy.js'

/** Policies for access to apps. */
export const accessPolicies = {
  name: 'access policy',
  auditedAs: 'access_policy',
  read: 'access:read',
  write: 'access:write',
  store: accessPolicyStore,
} as const
