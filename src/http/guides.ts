import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Marked, Renderer } from 'marked'
import { gfmHeadingId } from 'marked-gfm-heading-id'
import { type NegotiatedPage, pageOrText } from './page.js'

/** Where the guides are; the list of them is there itself. */
export const GUIDES_PATH = '/docs/guides'

/** The guides, which are the files of `docs` of the package in the folder `root`, by path: as HTML or as their Markdown text. */
export function createGuides(root: string): Map<string, NegotiatedPage> {
  const folder = join(root, 'docs')
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'))
  const guide = (name: string) => {
    const markdown = readFileSync(join(folder, name), 'utf8')
    const text = { contentType: 'text/plain; charset=utf-8', body: markdown }
    return pageOrText(text, () => guideHtml(markdown, new Set(names)))
  }
  return new Map([
    [GUIDES_PATH, guide('README.md')],
    ...names.map((name) => [`${GUIDES_PATH}/${name}`, guide(name)] as const),
  ])
}

const style = `:root { color-scheme: light dark }
body { margin: 2rem auto; max-width: 52rem; padding: 0 1.25rem; overflow-wrap: anywhere; font: 16px/1.5 system-ui, sans-serif; color: CanvasText; background: Canvas }
pre, .table { overflow-x: auto; overflow-wrap: normal } pre { padding: .75rem; border: 1px solid GrayText }
th, td { padding: .25rem .5rem; border: 1px solid GrayText; text-align: start; vertical-align: top } table { border-collapse: collapse }
:focus-visible { outline: 3px solid; outline-offset: 2px }`

/** A guide as a page. `served` are the files that links can lead to; a link to any other file of the repository is only its text. */
function guideHtml(markdown: string, served: ReadonlySet<string>): string {
  const [, title = 'svc'] = /^# (.*)/.exec(markdown) ?? []
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<nav aria-label="Documents"><a href="/">svc</a> <a href="${GUIDES_PATH}">Guides</a> <a href="/docs">API reference</a></nav>
<main>
${createMarked(served).parse(markdown, { async: false })}</main>
</body>
</html>
`
}

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
