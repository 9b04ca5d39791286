import { runInThisContext } from 'node:vm'

// Jest gives every test file its own globals, while Node's modules and native addons throw errors of the outer ones. In
// the program these classes are the same, so they are here.
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
