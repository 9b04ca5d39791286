import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const target = join(root, 'dist/console')

/**
 * Builds the console from console/src into dist/console: hashed files in assets/, and index.html, which refers to them
 * with `{{base}}`, the path of the service. Throws the errors of the sources.
 */
export async function buildConsole() {
  await requirePackages()
  const { rolldown } = await import('rolldown')
  const styles = createStyles()
  const bundle = await rolldown({
    input: join(root, 'console/src/main.tsx'),
    preserveEntrySignatures: 'allow-extension',
    platform: 'browser',
    resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
    transform: { define: { 'process.env.NODE_ENV': '"production"' }, jsx: { runtime: 'automatic' } },
    plugins: [styles.plugin],
    // Directives for servers that render; warnings about them would hide others.
    onLog: (level, log, print) => log.code === 'MODULE_LEVEL_DIRECTIVE' || print(level, log),
  })
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    codeSplitting: { groups: [widgets, shared, common] },
    entryFileNames: 'assets/[name]-[hash].js',
    chunkFileNames: 'assets/[name]-[hash].js',
    assetFileNames: 'assets/[name]-[hash][extname]',
  })
  await bundle.close()
  await rm(target, { recursive: true, force: true })
  await mkdir(join(target, 'assets'), { recursive: true })
  for (const file of output) await writeFile(join(target, file.fileName), file.code ?? file.source)
  await writeFile(join(target, 'index.html'), await indexOf(output))
  await writeFile(join(target, 'licenses.txt'), await licensesOf(output))
}

/**
 * Modules that no screen needs at first: they are loaded with the first dialog, or the first button that cannot be
 * used.
 */
const widgets = {
  name: 'widgets',
  test: /\/node_modules\/@(?:base-ui|floating-ui)\/|\/console\/src\/ui\/(?:dialog-frame|combobox)/,
  includeDependenciesRecursively: false,
}

/** Modules that many screens share: loaded with the first of these screens, each of which is one more file. */
const shared = { name: 'shared', test: /\/console\/src\/(?:api|app|ui)\/|\/node_modules\//, minShareCount: 4 }

/** Modules that a few screens share: loaded with the page, so that no screen has to wait for many small files. */
const common = {
  name: 'common',
  test: /\/console\/src\/(?!ui\/csv)/,
  minShareCount: 2,
  includeDependenciesRecursively: false,
}

/** A bundler would only warn about a package that is missing. */
async function requirePackages() {
  const { devDependencies } = JSON.parse(await readFile(join(root, 'console/package.json'), 'utf8'))
  const missing = Object.keys(devDependencies).find((name) => !existsSync(join(root, 'node_modules', name)))
  if (missing !== undefined) throw new Error(`cannot build the console, ${missing} is missing: run "npm ci" in ${root}`)
}

/** The licenses of the packages that are part of the files: a minified file has no room for them. */
async function licensesOf(output) {
  const modules = output.flatMap((file) => file.moduleIds ?? [])
  const names = modules.flatMap((id) => id.match(/(?<=\/node_modules\/)(?:@[^/]+\/)?[^/]+/g)?.at(-1) ?? [])
  const texts = [...new Set([...names, '@fontsource-variable/inter'])]
    .sort((a, b) => (a < b ? -1 : 1))
    .map(async (name) => {
      const folder = join(root, 'node_modules', name)
      const { version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
      const file = (await readdir(folder)).find((each) => /^licen[sc]e/i.test(each))
      const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8')
      return `${name} ${version} (${license})\n\n${text}`
    })
  return (await Promise.all(texts)).join('\n\n----\n\n')
}

/** The page with its script, the styles, and the files that the script and all screens import. */
async function indexOf(output) {
  const entry = output.find((file) => file.type === 'chunk' && file.isEntry)
  const style = output.find((file) => file.fileName.endsWith('.css'))
  const at = (name) => `{{base}}/console/${name}`
  const font = output.find((file) => file.fileName.endsWith('.woff2') && !file.fileName.includes('-ext-'))
  const ofScreens = output.flatMap(({ name, fileName }) => (name === common.name ? [fileName] : []))
  const tags = [
    `<link rel="preload" href="${at(font.fileName)}" as="font" type="font/woff2" crossorigin>`,
    `<link rel="stylesheet" href="${at(style.fileName)}">`,
    ...[...entry.imports, ...ofScreens].map((name) => `<link rel="modulepreload" href="${at(name)}">`),
    `<script type="module" src="${at(entry.fileName)}"></script>`,
  ]
  const page = await readFile(join(root, 'console/index.html'), 'utf8')
  return page.replace('<!-- files -->', () => tags.join('\n    '))
}

/** A font in a style: of a package, or in the same folder. */
const FONT = /url\("([@.][^"]+)"\)/g

/**
 * Makes the plugin that collects styles in one file: first the plain ones of console/src/style, by name, then the CSS
 * modules, those of ui/ first. The classes of a CSS module get the name of its file as a prefix, and are its exports.
 */
function createStyles() {
  const modules = new Map()
  const plugin = {
    name: 'styles',
    load: {
      filter: { id: /\.module\.css$/ },
      async handler(id) {
        const { css, names } = await compileModule(id)
        modules.set(id, css)
        return { code: `export default ${JSON.stringify(names)}`, moduleType: 'js' }
      },
    },
    async generateBundle() {
      const folder = join(root, 'console/src/style')
      const plain = (await readdir(folder)).filter((name) => name.endsWith('.css')).sort()
      const texts = await Promise.all(plain.map((name) => readFile(join(folder, name), 'utf8')))
      // Shared styles come first, so that a screen can override them.
      const placeOf = (file) => (file.includes('/console/src/ui/') ? '' : file)
      const inOrder = [...modules].sort(([a], [b]) => (placeOf(a) < placeOf(b) ? -1 : 1)).map(([, css]) => css)
      const emit = async (specifier) => {
        const name = specifier.split('/').at(-1)
        const source = await readFile(join(specifier.startsWith('@') ? join(root, 'node_modules') : folder, specifier))
        return this.getFileName(this.emitFile({ type: 'asset', name, source })).replace('assets/', '')
      }
      const css = [...texts, ...inOrder].join('\n')
      const files = new Map()
      for (const [, specifier] of css.matchAll(FONT)) files.set(specifier, await emit(specifier))
      const source = css.replace(FONT, (_, specifier) => `url("${files.get(specifier)}")`)
      this.emitFile({ type: 'asset', name: 'console.css', source })
    },
  }
  return { plugin }
}

async function compileModule(file) {
  const [{ default: postcss }, { extractICSS }, ...plugins] = await Promise.all(
    [
      'postcss',
      'icss-utils',
      ...['local-by-default', 'extract-imports', 'scope'].map((name) => `postcss-modules-${name}`),
    ].map((name) => import(name)),
  )
  const [localByDefault, extractImports, scope] = plugins.map((plugin) => plugin.default)
  const generateScopedName = (name, path) => `${path.match(/([\w-]+)\.module\.css$/)[1]}_${name}`
  const css = await readFile(file, 'utf8')
  const result = await postcss([localByDefault(), extractImports(), scope({ generateScopedName })]).process(css, {
    from: file,
  })
  const { icssExports } = extractICSS(result.root)
  return { css: result.root.toString(), names: icssExports }
}
