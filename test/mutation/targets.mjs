/** A group of rules: the files that are changed, and the test files that are to notice. */
const targets = {
  'field-ownership': {
    mutate: ['src/domain/profile/field-ownership.ts'],
    tests: ['test/domain/field-ownership.test.ts', 'test/domain/field-commands.test.ts'],
  },
  template: {
    mutate: ['src/rest/template.ts'],
    tests: ['test/rest/template.test.ts'],
  },
  binding: {
    mutate: ['src/rest/parameter-binder.ts'],
    tests: ['test/rest/parameter-binder.test.ts'],
  },
  'page-token': {
    mutate: ['src/domain/paging.ts', 'src/domain/value/page-token.ts'],
    tests: ['test/domain/paging.test.ts', 'test/domain/page-token.test.ts'],
  },
  limiter: {
    mutate: ['src/domain/auth/revoke-limiter.ts', 'src/handlers/auth.ts'],
    tests: ['test/auth/revoke-limit-decision.test.ts'],
  },
  approval: {
    mutate: ['src/domain/access-policy-approval-procedure.ts'],
    tests: ['test/domain/approval-topology.test.ts', 'test/domain/approval-procedure.test.ts'],
  },
  admission: {
    mutate: ['src/admission/admission.ts', 'src/admission/bearer.ts'],
    tests: ['test/auth/admission.test.ts'],
  },
  revocation: {
    mutate: ['src/domain/auth/revocation.ts'],
    tests: ['test/auth/revocation-rules.test.ts', 'test/auth/time-grid.test.ts'],
  },
}

export const targetNames = Object.keys(targets)

/** The target of that name; throws with the names that there are. */
export function targetOf(name) {
  const target = targets[name]
  if (target === undefined) throw new Error(`there is no target "${name}", only ${targetNames.join(', ')}`)
  return target
}
