import { Graph, layout } from '@dagrejs/dagre'
import Minus from 'lucide-react/dist/esm/icons/minus.mjs'
import Plus from 'lucide-react/dist/esm/icons/plus.mjs'
import { useMemo, useRef, useState } from 'react'
import { countText } from '../../api/words.js'
import { Button } from '../../ui/button.js'
import { dateText } from '../../ui/when.js'
import type { TaskFacts } from './journey-facts.js'
import styles from './journeys.module.css'

const [WIDTH, HEIGHT, MARGIN] = [210, 62, 12]
/** How much nearer or farther one press brings it. */
const STEP = 1.3
/** How much of a name fits into a box. */
const MAX_LETTERS = 28
/** With more tasks, lines may cross that need not: to uncross them takes longer than everything else. */
const MAX_UNCROSSED = 100

interface Point {
  readonly x: number
  readonly y: number
}

/** By the number of the status. */
const looks = ['todo', 'todo', 'running', 'done', 'canceled']

/** The tasks of a journey as boxes, all in sight until somebody goes nearer, with arrows from what comes first, and dashed lines to the parts of a task. */
export function JourneyGraph({ facts }: { readonly facts: readonly TaskFacts[] }) {
  const { places, arrows, width, height } = useMemo(() => arrange(facts), [facts])
  const [scale, setScale] = useState<number>()
  const section = useRef<HTMLElement>(null)
  const zoom = (by: number) => setScale((scale ?? Math.min(1, (section.current?.clientWidth ?? width) / width)) * by)
  return (
    <>
      <div className={styles['zoom']}>
        <Button isIcon label="Zoom out" onClick={() => zoom(1 / STEP)}>
          <Minus size={15} aria-hidden />
        </Button>
        <Button isIcon label="Zoom in" onClick={() => zoom(STEP)}>
          <Plus size={15} aria-hidden />
        </Button>
        <Button onClick={() => setScale(undefined)} why={scale === undefined ? 'All of it is in sight.' : undefined}>
          Fit
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached with the keyboard. */}
      <section ref={section} className={styles['graph']} aria-label="Graph of the tasks" tabIndex={0}>
        <svg
          className={scale === undefined ? styles['fit'] : undefined}
          width={width * (scale ?? 1)}
          height={height * (scale ?? 1)}
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={`${facts.length} tasks and what they wait for. The table has the same in words.`}
        >
          <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path d="M0 0 8 4 0 8z" className={styles['head']} />
            </marker>
          </defs>
          {arrows.map(({ key, points, isPart }) => (
            <path
              key={key}
              d={pathThrough(points)}
              className={isPart ? styles['part'] : styles['arrow']}
              {...(!isPart && { markerEnd: 'url(#arrow)' })}
            />
          ))}
          {facts.map((each) => (
            <TaskBox key={each.task.id} facts={each} at={places.get(each.task.id) ?? { x: 0, y: 0 }} />
          ))}
        </svg>
      </section>
    </>
  )
}

function TaskBox({ facts: { task, status, checks, failures }, at }: { readonly facts: TaskFacts; readonly at: Point }) {
  const isBad = failures.length > 0 || task.isOverdue
  const due = dateText(task.dueDate)
  const notes = [
    task.isOverdue && 'late',
    failures.length > 0 && `${failures.length} failed`,
    checks.length > 0 && countText(checks.length, 'check'),
  ]
  return (
    <g transform={`translate(${at.x - WIDTH / 2} ${at.y - HEIGHT / 2})`} className={styles[looks[task.status] ?? '']}>
      <title>{task.name}</title>
      <rect width={WIDTH} height={HEIGHT} rx="6" className={`${styles['box']} ${isBad ? styles['bad'] : ''}`} />
      <text x="12" y="20" className={styles['name']}>
        {task.name.length > MAX_LETTERS ? `${task.name.slice(0, MAX_LETTERS - 1)}…` : task.name}
      </text>
      <text x="12" y="37" className={styles['note']}>
        {status}
        {due && `, due ${due}`}
      </text>
      <text x="12" y="53" className={isBad ? styles['badNote'] : styles['note']}>
        {notes.filter(Boolean).join(', ')}
      </text>
    </g>
  )
}

/** Places of the tasks, in columns by how many come before each, and the arrows. Ranked from the end, which is fastest. */
function arrange(facts: readonly TaskFacts[]) {
  const graph = new Graph({ multigraph: true })
  const gaps = { nodesep: 18, ranksep: 46, marginx: MARGIN, marginy: MARGIN }
  graph.setGraph({ rankdir: 'RL', ranker: 'longest-path', ...gaps })
  graph.setDefaultEdgeLabel(() => ({}))
  const ids = new Set(facts.map(({ task }) => task.id))
  for (const id of ids) graph.setNode(id, { width: WIDTH, height: HEIGHT })
  for (const { task } of facts) {
    for (const id of task.dependsOnIds) if (ids.has(id)) graph.setEdge(task.id, id, {}, 'before')
    if (ids.has(task.parentTaskId)) graph.setEdge(task.id, task.parentTaskId, {}, 'part')
  }
  layout(graph, { disableOptimalOrderHeuristic: facts.length > MAX_UNCROSSED })
  const { width = 0, height = 0 } = graph.graph()
  return {
    width: Math.max(1, width),
    height: Math.max(1, height),
    places: new Map(graph.nodes().map((id) => [id, pointFrom(graph.node(id))])),
    arrows: graph.edges().map((edge) => ({
      key: `${edge.v} ${edge.w} ${edge.name}`,
      isPart: edge.name === 'part',
      points: (graph.edge(edge).points ?? []).map(pointFrom).reverse(),
    })),
  }
}

const pointFrom = ({ x = 0, y = 0 }: { x?: number; y?: number }): Point => ({ x, y })

function pathThrough(points: readonly Point[]): string {
  return points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join(' ')
}
