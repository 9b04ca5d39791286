import { type DescService, getOption } from '@bufbuild/protobuf'
import { access } from '../../gen/svc/v2/access_pb.js'
import { credentialKinds } from './credential-kinds.js'
import { httpRouteOf } from './http-route.js'
import { inWords } from './operation.js'

/** The page with the matrix of permissions, in Markdown, from the `svc.v2.access` options. */
export function permissionsPage(services: readonly DescService[]): string {
  const rows = services.flatMap((service) =>
    service.methods.map((method) => {
      const rule = getOption(method, access)
      const found = httpRouteOf(method)
      const route = found === undefined ? '' : `\`${found.httpMethod.toUpperCase()} ${found.path}\``
      const permission = rule.anonymous ? 'none needed' : `\`${rule.permission}\``
      const kinds = [...credentialKinds.keys()].map((kind) => {
        if (rule.anonymous) return 'ignored'
        return rule.credentialKinds.includes(kind) ? 'yes' : '**unsupported**'
      })
      const relation = rule.userRelationSuffices ? 'yes' : ''
      return [inWords(method.name), route, permission, ...kinds, relation]
    }),
  )
  const head = ['method', 'REST', 'permission', ...credentialKinds.values(), 'relation suffices']
  return `<!-- Generated from proto/svc/v2 by "npm run generate". -->

# Permissions

Every method declares in the schema (\`option (svc.v2.access)\`) which kinds of credential it accepts and which permission
it requires. The service enforces this before it reads a body, and does not start if a method lacks the option.

- **unsupported**: this kind of credential gets 403, whatever its permissions.
- A team API key has access only to its own team; an organization API key has access to every team of its organization.
- **relation suffices**: a user token is accepted without the permission if the request concerns that user: their own
  profile, or a journey requested by them or by one of their reports.

${table([head, head.map(() => '---'), ...rows])}
## Where permissions come from

API keys and worker keys have a list of permissions, set when they are created. A person's permissions come from roles:

| role | permissions |
| --- | --- |
| \`USER_ROLE_ORG_ADMIN\` | all, in every team of the organization |
| \`USER_ROLE_ORG_MEMBER\` | those of the person's team roles |
| \`USER_ROLE_ORG_GUEST\` | the read permissions of the person's team roles |
| \`TEAM_USER_ROLE_MANAGER\` | all, in the team |
| \`TEAM_USER_ROLE_BUILDER\` | all reads, \`access:write\`, \`apps:write\`, in the team |
| \`TEAM_USER_ROLE_AGENT\` | all reads, \`tickets:write\`, in the team |
| \`TEAM_USER_ROLE_CONTRIBUTOR\`, \`TEAM_USER_ROLE_VIEWER\` | all reads, in the team |

Users can always change the governed fields of their own profile except the manager, and can never change their own role.
Changing an email address, even one's own, needs \`users:write\` for the organization.

Callers cannot grant what they do not have: only administrators (user tokens) and organization API keys with every
permission can grant or revoke \`USER_ROLE_ORG_ADMIN\`, or change the email address of an administrator. Worker tokens and
keys with fewer permissions get \`permission_denied\`. The identity provider can change email addresses, including those of
administrators, but not roles.

## Which error to expect

1. A missing or invalid credential: 401.
2. A kind of credential that the method does not accept, or a permission that the caller does not have anywhere: 403.
3. A resource that does not exist, or that belongs to another organization or to a team that the caller cannot see: 404,
   with the same message in all cases.
4. A resource that the caller can see but has no permission for: 403.
`
}

function table(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}
