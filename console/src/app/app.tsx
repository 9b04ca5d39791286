import { Tooltip } from '@base-ui/react/tooltip'
import { RouterProvider } from '@tanstack/react-router'
import type { createConsoleRouter } from './router.js'

/** The console, at whatever its address says. */
export function App({ router }: { readonly router: ReturnType<typeof createConsoleRouter> }) {
  return (
    <Tooltip.Provider>
      <RouterProvider router={router} />
    </Tooltip.Provider>
  )
}
