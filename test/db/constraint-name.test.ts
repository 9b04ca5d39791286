import { describe, expect, it } from '@jest/globals'
import { declaredName, isConstraint } from '../../src/db/errors.js'

describe('the name of a constraint', () => {
  it.each([
    ['memberships_email_unique', 'memberships_email_unique'],
    ['memberships_email_unique_102050', 'memberships_email_unique'],
    // The longest that has room for a number of six digits, and the shortest that has not.
    [
      'journeys_organization_id_requester_manager_user_id_fkey_102094',
      'journeys_organization_id_requester_manager_user_id_fkey',
    ],
    [
      'approval_procedures_organization_id_access_poli_da29c0af_102066',
      'approval_procedures_organization_id_access_policy_id_fkey',
    ],
    [
      'app_resources_organization_id_app_instance_id__9ca6b2e0_1020861',
      'app_resources_organization_id_app_instance_id_team_id_fkey',
    ],
    // PostgreSQL itself has cut this one.
    [
      'app_instance_shares_organization_id_app_instanc_bc6ef9c4_102082',
      'app_instance_shares_organization_id_app_instance_id_app_in_fkey',
    ],
  ])('is recognized on a shard: %s', (reported, name) => {
    expect(isConstraint(declaredName(reported), name)).toBe(true)
  })

  it.each([
    ['memberships_email_unique_102050', 'memberships_email_unique_two'],
    ['memberships_email_102050', 'memberships_email_unique'],
    [
      'app_resources_organization_id_app_instance_id_t_9ca6b2e0_102086',
      'app_resources_organization_id_app_instance_id_user_id_fkey',
    ],
    ['', 'memberships_email_unique'],
  ])('is not confused with another: %s', (reported, name) => {
    expect(isConstraint(declaredName(reported), name)).toBe(false)
  })
})
