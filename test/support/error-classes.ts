import { runInThisContext } from 'node:vm'

// Jest runs every test file with globals of its own, while Node's modules and native addons throw errors of the outer
// ones. In the program they are the same classes; so they are here.
for (const name of ['Error', 'TypeError', 'RangeError', 'SyntaxError', 'AggregateError'] as const) {
  const inner: object = globalThis[name]
  const outer: object = runInThisContext(name)
  Object.defineProperty(inner, Symbol.hasInstance, {
    value(this: object, value: unknown) {
      const isInstance = Function.prototype[Symbol.hasInstance]
      return isInstance.call(this, value) || (this === inner && isInstance.call(outer, value))
    },
  })
}
