import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Marked, Renderer } from 'marked'
import { gfmHeadingId } from 'marked-gfm-heading-id'
import { fillTemplate, type Page, pageOrText } from './page.js'

/** Where the guides are; the list of them is there itself. */
export const GUIDES_PATH = '/docs/guides'

/** The guides, by path: the files of `docs` of the package in the folder `root`, as HTML or as Markdown. */
export function createGuides(root: string): (readonly [path: string, page: Page])[] {
  const folder = join(root, 'docs')
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'))
  const served = new Set(names)
  const guide = (name: string) => {
    const markdown = readFileSync(join(folder, name), 'utf8')
    return pageOrText('text/plain; charset=utf-8', markdown, () => {
      const [, title = 'svc'] = /^# (.*)/.exec(markdown) ?? []
      const content = createMarked(served).parse(markdown, { async: false })
      return fillTemplate(root, 'guide.html', { title, content })
    })
  }
  return [[GUIDES_PATH, guide('README.md')], ...names.map((name) => [`${GUIDES_PATH}/${name}`, guide(name)] as const)]
}

/** Renders guides. `served` are the files that links can lead to; a link to any other is only its text. */
function createMarked(served: ReadonlySet<string>): Marked {
  const marked = new Marked(gfmHeadingId())
  const plain = new Renderer()
  marked.use({
    renderer: {
      // What scrolls can be reached with the keyboard.
      code: (token) => plain.code(token).replace('<pre>', '<pre tabindex="0">'),
      table(token) {
        return `<div class="table" tabindex="0">${plain.table.call(this, token)}</div>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const target = guideTarget(href, served)
        return target === undefined ? text : `<a href="${target}">${text}</a>`
      },
    },
  })
  return marked
}

function guideTarget(href: string, served: ReadonlySet<string>): string | undefined {
  if (/^(?:https?:|#)/.test(href)) return href
  const [file = ''] = href.split('#', 1)
  return served.has(file) ? `${GUIDES_PATH}/${href}` : undefined
}
