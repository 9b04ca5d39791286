import { Link } from '@tanstack/react-router'
import { type Actor, ActorKind, ActorKindSchema } from '../../../../gen/svc/v2/audit_log_pb.js'
import { nameOf } from '../../api/message.js'
import { enumText } from '../../api/words.js'

/** Who did something: a link to the person or the key, or the kind of writer where it has neither. */
export function ActorName({ actor }: { readonly actor: Actor | undefined }) {
  if (actor === undefined) return <>unknown</>
  const name = nameOf(actor)
  if (actor.kind === ActorKind.USER) {
    return <Link to={`/people/${encodeURIComponent(actor.id)}`}>{name}</Link>
  }
  const kind = enumText(ActorKindSchema, actor.kind)
  if (actor.id === '') return <>{kind}</>
  return (
    <>
      {kind} <Link to={`/keys/${encodeURIComponent(actor.id)}`}>{name}</Link>
    </>
  )
}
