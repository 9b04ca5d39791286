import type { DescEnum, DescService } from '@bufbuild/protobuf'
import { type AccessRule, Callers } from '../../gen/svc/v2/access_pb.js'
import { accessRuleOf, credentialNames } from '../limits/method-rules.js'
import { httpRouteOf, inWords } from './operation.js'
import type { SourceComments } from './source-comments.js'

const BEGIN = '<!-- generated from '
const END = '<!-- end -->'

/** Replaces the generated section of a document, which is between two comments. Throws if there is none. */
export function withSection(document: string, section: string): string {
  const start = document.indexOf('\n', document.indexOf(BEGIN)) + 1
  const end = document.indexOf(END)
  if (!document.includes(BEGIN) || end < start) throw new Error('the document has no generated section')
  return `${document.slice(0, start)}\n${section}\n${document.slice(end)}`
}

export function errorsSection(reasons: DescEnum, comments: SourceComments): string {
  const sections = reasons.values
    .filter((value) => value.number !== 0)
    .map((value) => {
      const [meaning = '', example = ''] = comments(value).split('Example: ')
      return `### \`${value.name}\`\n\n${meaning.trimEnd()}\n\nExample: ${example}\n`
    })
  return sections.join('\n')
}

export function permissionsSection(services: readonly DescService[]): string {
  const rows = services.flatMap((service) =>
    service.methods.map((method) => {
      const rule = accessRuleOf(method)
      const found = httpRouteOf(method)
      const route = found === undefined ? '' : `\`${found.httpMethod.toUpperCase()} ${found.path}\``
      const kinds = [...credentialNames.keys()].map((kind) => {
        if (rule.anonymous) return 'ignored'
        return rule.credentialKinds.includes(kind) ? 'yes' : '**unsupported**'
      })
      const relation = rule.userRelationSuffices ? 'yes' : ''
      return [inWords(method.name), route, requirementOf(rule), ...kinds, relation]
    }),
  )
  const head = ['method', 'REST', 'permission', ...credentialNames.values(), 'relation suffices']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

function requirementOf({ anonymous, callers, permission }: AccessRule): string {
  if (anonymous || callers === Callers.ALL) return 'none needed'
  if (callers === Callers.WRITERS) return 'every write permission'
  return callers === Callers.ADMINISTRATORS ? 'administrators only' : `\`${permission}\``
}
