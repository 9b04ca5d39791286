import type { Message } from '@bufbuild/protobuf'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { idOf, nameOf } from '../api/message.js'
import { FirstFew } from './first-few.js'
import { Answered, type Asked } from './states.js'

interface LinkListProps {
  /** The path of their screens. */
  readonly path: string
  readonly list: Asked & { readonly rows: readonly Message[]; readonly hasNextPage: boolean }
  /** What leads to those that are not read. */
  readonly more?: ReactNode
}

/** The names of a few things in a row, each a link. */
export function LinkList({ path, list, more }: LinkListProps) {
  return (
    <Answered asked={[list]} lines={1}>
      <FirstFew items={list.rows} many={path}>
        {(shown) =>
          shown.map((item, index) => (
            <Fragment key={idOf(item)}>
              {index > 0 && ', '}
              <Link to={`/${path}/${encodeURIComponent(idOf(item))}`}>{nameOf(item)}</Link>
            </Fragment>
          ))
        }
      </FirstFew>
      {list.rows.length === 0 && 'None'} {list.hasNextPage && more}
    </Answered>
  )
}
