import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { installGenerators } from '../support/generators.js'
import { createPackedProject } from '../support/packed-project.js'

const root = join(import.meta.dirname, '../..')
/** Those that the guide has installed, and what they need. */
const packages = [
  'client',
  'node_modules/@bufbuild/protobuf',
  'node_modules/@connectrpc/connect',
  'node_modules/@connectrpc/connect-web',
  ...[
    '@connectrpc/connect-query',
    '@connectrpc/connect-query-core',
    '@tanstack/react-query',
    '@tanstack/query-core',
  ].map((name) => `test/generators/node_modules/${name}`),
  ...['react', 'react-dom', 'scheduler', '@types/react', 'csstype'].map(
    (name) => `test/generators/node_modules/${name}`,
  ),
]

it('every example of the React guide compiles against the client and connect-query', async () => {
  await installGenerators()
  const guide = await readFile(join(root, 'docs/clients-react.md'), 'utf8')
  const examples = [...guide.matchAll(/```tsx\n([\s\S]*?)```/g)].map(([, text = '']) => text)
  expect(examples.length).toBeGreaterThan(3)
  const project = await createPackedProject(packages)
  try {
    const files = Object.fromEntries(examples.map((text, number) => [`example-${number}.tsx`, text]))
    await project.write({
      ...files,
      // What the compiler would not find, it would not check either.
      'wrong.tsx': `
        import { useQuery } from '@connectrpc/connect-query'
        import { JourneyService } from '@svc-admin/client'
        // @ts-expect-error: an id is a text
        export const useWrong = () => useQuery(JourneyService.method.getJourney, { id: 1 })
      `,
    })
    const options = ['--strict', '--noEmit', '--jsx', 'react-jsx', '--target', 'es2022', '--lib', 'es2022,dom']
    const resolution = ['--module', 'esnext', '--moduleResolution', 'bundler', '--types', 'react', '--skipLibCheck']
    expect(await project.run('tsc', ...options, ...resolution, ...Object.keys(files), 'wrong.tsx')).toBe('')
  } finally {
    await project.remove()
  }
})
