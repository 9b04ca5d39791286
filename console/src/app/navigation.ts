/** A screen that the navigation leads to. */
export interface Destination {
  /** Below the path of the console. */
  readonly path: string
  readonly title: string
}

/** The navigation, in groups. */
export const destinations: readonly { readonly title: string; readonly items: readonly Destination[] }[] = [
  {
    title: 'Organization',
    items: [
      { path: '/', title: 'Overview' },
      { path: '/directory', title: 'Directory' },
    ],
  },
  {
    title: 'People',
    items: [
      { path: '/people', title: 'People' },
      { path: '/teams', title: 'Teams' },
      { path: '/groups', title: 'Groups' },
    ],
  },
  {
    title: 'Access',
    items: [
      { path: '/apps', title: 'App instances' },
      { path: '/resources', title: 'Resources' },
      { path: '/policies', title: 'Policies' },
    ],
  },
  {
    title: 'Work',
    items: [
      { path: '/journeys', title: 'Journeys' },
      { path: '/priorities', title: 'Priorities' },
      { path: '/slas', title: 'SLA definitions' },
    ],
  },
  {
    title: 'Entities',
    items: [
      { path: '/entity-types', title: 'Entity types' },
      { path: '/ingestion', title: 'Ingestion' },
      { path: '/mappings', title: 'Field mappings' },
    ],
  },
  {
    title: 'Trust',
    items: [
      { path: '/keys', title: 'Keys' },
      { path: '/audit', title: 'Audit log' },
      { path: '/events', title: 'Events' },
      { path: '/webhooks', title: 'Webhooks' },
    ],
  },
]
