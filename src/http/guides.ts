import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPage, type Page } from './page.js'

/** Where the guides are; the list of them is there itself. */
export const GUIDES_PATH = '/docs/guides'

/** The guides, which are the files of `docs` of the package in the folder `root`, as their Markdown text, by path. */
export function createGuides(root: string): Map<string, Page> {
  const folder = join(root, 'docs')
  const guide = (name: string) =>
    createPage({ contentType: 'text/plain; charset=utf-8', body: readFileSync(join(folder, name)) })
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'))
  return new Map([
    [GUIDES_PATH, guide('README.md')],
    ...names.map((name) => [`${GUIDES_PATH}/${name}`, guide(name)] as const),
  ])
}
