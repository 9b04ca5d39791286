import {
  type A2aAgentCard,
  type A2aAgentCard_SecurityScheme,
  A2aAgentSecuritySchemeKindSchema,
} from '../../../../gen/svc/v2/app_instance_pb.js'
import { WorkflowName } from '../../api/things.js'
import { enumText } from '../../api/words.js'
import { Badge } from '../../ui/button.js'
import { When } from '../../ui/when.js'
import styles from './agent-card.module.css'

/** What an agent says of itself: its name, where it listens, what it can do, and how callers authenticate. */
export function AgentCard({ card }: { readonly card: A2aAgentCard }) {
  const skills = card.skills.map((skill, index) => ({ ...skill, key: `${index}` }))
  return (
    <article className={styles['card']}>
      <h3>
        {card.name || 'Agent'} {card.version && <Badge>{card.version}</Badge>}
      </h3>
      {card.description && <p>{card.description}</p>}
      <p className={styles['muted']}>
        <code>{card.url}</code>
        {card.workflowId && (
          <span>
            called by <WorkflowName id={card.workflowId} />
          </span>
        )}
        {card.securitySchemes.map((scheme) => (
          <span key={scheme.name}>{schemeText(scheme)}</span>
        ))}
        {card.lastSyncedAt && (
          <span>
            fetched <When at={card.lastSyncedAt} />
          </span>
        )}
      </p>
      <ul className={styles['skills']}>
        {skills.map(({ key, name, id, description, tags, examples, inputModes, outputModes }) => (
          <li key={key}>
            <h4>{name || id}</h4>
            <p>{description}</p>
            {examples.length > 0 && <p className={styles['example']}>“{examples.join('” “')}”</p>}
            <p className={styles['muted']}>
              {tags.map((tag) => (
                <Badge key={tag}>{tag}</Badge>
              ))}
              {inputModes.length + outputModes.length > 0 && (
                <span>
                  {inputModes.join(', ')} → {outputModes.join(', ')}
                </span>
              )}
            </p>
          </li>
        ))}
      </ul>
    </article>
  )
}

function schemeText({ name, kind, scopes }: A2aAgentCard_SecurityScheme): string {
  const scheme = enumText(A2aAgentSecuritySchemeKindSchema, kind) || name
  return scopes.length === 0 ? scheme : `${scheme} with ${scopes.join(', ')}`
}
