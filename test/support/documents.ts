import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The folder of the repository. */
export const root = join(import.meta.dirname, '../..')

/** The pages of `docs`, by their paths in it. */
export const docs = (await readdir(join(root, 'docs'), { recursive: true })).filter((name) => name.endsWith('.md'))

/** All pages, by their paths. */
export const pages = [
  ...docs.map((name) => `docs/${name}`),
  'README.md',
  'CONTRIBUTING.md',
  'client/README.md',
  'src/rest/README.md',
]

/** The text of a file of the repository. */
export const read = (name: string) => readFile(join(root, name), 'utf8')

/** The code blocks of all pages in some languages. */
export async function blocksOf(...languages: readonly string[]): Promise<{ page: string; text: string }[]> {
  const blocks = await Promise.all(
    pages.map(async (page) =>
      [...(await read(page)).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, language = '', text = '']) =>
        languages.includes(language) ? { page, text } : [],
      ),
    ),
  )
  return blocks.flat()
}
