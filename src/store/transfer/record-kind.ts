/** Every kind of record, each after those that it refers to: the order of writing and of export. */
export const recordKinds = [
  'organization',
  'team',
  'user',
  'group',
  'accessPolicy',
  'approvalProcedure',
  'appInstance',
  'appResource',
  'priority',
  'journey',
  'entityType',
  'entityIngestionConfig',
  'entityFieldMapping',
  'slaDefinition',
] as const

/** The kinds of line: the members of `svc.v2.ImportRecord`. */
export type RecordKind = (typeof recordKinds)[number]
