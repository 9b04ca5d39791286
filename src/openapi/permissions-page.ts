import { type DescService, getOption } from '@bufbuild/protobuf'
import { access } from '../../gen/svc/v2/access_pb.js'
import { credentialKinds } from './credential-kinds.js'
import { httpRouteOf } from './http-route.js'
import { inWords } from './operation.js'

/** The page with the matrix of who may call what, in Markdown, from the `svc.v2.access` options. */
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

# Who may call what

Every method declares in the schema (\`option (svc.v2.access)\`) which kinds of credential it accepts and which permission
they need. The service enforces this before it reads a body, and does not start if a method lacks the option.

- **unsupported**: the kind of credential is refused with 403, whatever its permissions.
- A team API key reaches only its own team; an organization API key reaches every team of its organization.
- **relation suffices**: a user token is accepted without the permission if the request is about the person: the person's own
  profile, or a journey requested by the person or one of the person's reports.

${table([head, head.map(() => '---'), ...rows])}
## Where permissions come from

API keys and worker keys have a list of permissions, set when they are created. A person's permissions come from roles:

| role | permissions |
| --- | --- |
| \`USER_ROLE_ORG_ADMIN\` | all, in every team of the organization |
| \`USER_ROLE_ORG_MEMBER\` | those of the person's team roles |
| \`USER_ROLE_ORG_GUEST\` | the reads among those of the person's team roles |
| \`TEAM_USER_ROLE_MANAGER\` | all, in the team |
| \`TEAM_USER_ROLE_BUILDER\` | all reads, \`access:write\`, \`apps:write\`, in the team |
| \`TEAM_USER_ROLE_AGENT\` | all reads, \`tickets:write\`, in the team |
| \`TEAM_USER_ROLE_CONTRIBUTOR\`, \`TEAM_USER_ROLE_VIEWER\` | all reads, in the team |

Users can always change the governed fields of their own profile but the manager, and never their own role. Changing an
email address, one's own too, needs \`users:write\` over the organization.

Nobody gives what they do not have: only administrators (user tokens), and organization API keys with every permission,
give \`USER_ROLE_ORG_ADMIN\`, take it away, or change the email address of an administrator. Worker tokens, and keys with
fewer permissions, get \`permission_denied\`. The identity provider changes addresses, of administrators too, but no roles.

## Which error to expect

1. No credential, or one that is not accepted: 401.
2. A kind of credential that the method does not accept, or a permission that the caller has nowhere: 403.
3. Something that does not exist, or that belongs to another organization or to a team that the caller cannot see: 404,
   with the same text for all of these.
4. Something that the caller can see but has no permission for: 403.
`
}

function table(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}
