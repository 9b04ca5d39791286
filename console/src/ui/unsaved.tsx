import { useBlocker } from '@tanstack/react-router'
import { Button } from './button.js'
import { Dialog, DialogFoot } from './dialog.js'

/** Asks before typed work is lost. */
export function AskToDiscard({ onKeep, onDiscard }: { readonly onKeep: () => void; readonly onDiscard: () => void }) {
  return (
    <Dialog title="Discard what you have typed?" onClose={onKeep}>
      <p>None of it has been saved.</p>
      <DialogFoot>
        <Button onClick={onKeep}>Keep editing</Button>
        <Button look="danger" onClick={onDiscard}>
          Discard changes
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

/** As long as it is rendered, whoever leaves the screen or the page is asked first. */
export function Unsaved() {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname,
    enableBeforeUnload: true,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return <AskToDiscard onKeep={blocker.reset} onDiscard={blocker.proceed} />
}
