import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { Link, useParams } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { useCaller, useWhyNot } from '../api/caller-context.js'
import { readMethods } from '../api/standard-methods.js'
import { useTagged } from '../api/tagged.js'
import { sentence } from '../api/words.js'
import { Screen } from './screen.js'
import styles from './screen.module.css'
import { FailureBox, Skeleton } from './states.js'
import type { WriteSubject } from './write-dialog.js'

interface ThingScreenProps<I extends DescMessage, O extends DescMessage> {
  /** Reads it by its id. */
  readonly method: DescMethodUnary<I, O>
  /** One of them, in a sentence. */
  readonly one: string
  /** The list that it is in. */
  readonly path: string
  readonly title: string
  readonly children: (answer: MessageShape<O>, subject: WriteSubject<MessageShape<O>>, above: ReactNode) => ReactNode
}

/** The screen of the thing whose id is in the address, once it is read; until then, or if it cannot be, that is said. */
export function ThingScreen<I extends DescMessage, O extends DescMessage>(props: ThingScreenProps<I, O>) {
  const { method, one, path, title, children } = props
  const id: string = useParams({ strict: false, select: ({ id = '' }: { id?: string }) => id })
  // A journey may be one's own, which only the service knows.
  const userId = useCaller().id
  const why = useWhyNot(method, { userId: path === 'people' ? id : userId })
  const { data, error, read, refetch } = useTagged(method, { id } as unknown as MessageInitShape<I>, why === undefined)
  const mayList = useWhyNot(readMethods(method.parent).list, { userId }) === undefined
  const above = mayList ? <Link to={`/${path}`}>{title}</Link> : title
  const failed = Boolean(error) && <FailureBox error={error} onRetry={() => void refetch()} />
  if (data !== undefined)
    return (
      <Fragment key={id}>
        {failed}
        {children(data.message, { tagged: data, read }, above)}
      </Fragment>
    )
  if (!failed && why === undefined)
    return (
      <div className={styles['screen']}>
        <Skeleton lines={10} />
      </div>
    )
  return (
    <Screen title={sentence(one)} above={above} why={why}>
      {failed}
    </Screen>
  )
}
