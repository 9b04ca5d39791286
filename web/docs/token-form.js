/** A plugin of the viewer that lets its own dialog take for `scheme` only what the form would take. */
export function refuseOtherText(scheme) {
  const { pattern, title } = document.getElementById('token')
  const isToken = new RegExp(`^(?:${pattern})$`, 'v')
  return () => ({
    statePlugins: {
      auth: {
        wrapActions: {
          authorize:
            (authorize, { errActions }) =>
            (credentials) => {
              errActions.clear({ authId: scheme })
              const value = credentials[scheme]?.value
              if (value === undefined || isToken.test(value)) return authorize(credentials)
              return errActions.newAuthErr({
                authId: scheme,
                source: 'auth',
                level: 'error',
                message: `Not used: ${title}.`,
              })
            },
        },
      },
    },
  })
}

/**
 * Connects the form for the token with the viewer, whose own dialog changes the token too. The token is kept as long as
 * the tab, over reloads. `scheme` is its name, as a security scheme of the document and in the storage of the tab.
 * `onComplete` is to be called when the viewer has read its document.
 */
export function connectTokenForm(ui, scheme) {
  const form = document.getElementById('token-form')
  const input = document.getElementById('token')
  const state = document.getElementById('token-state')
  const kept = () => sessionStorage.getItem(scheme) ?? ''

  const show = () => {
    input.value = kept()
    state.textContent = kept() === '' ? 'Calls carry no token.' : 'Calls carry this token.'
  }
  const keep = (token) => {
    if (token === '') sessionStorage.removeItem(scheme)
    else sessionStorage.setItem(scheme, token)
    show()
  }
  const refuse = () => {
    state.textContent = `Not used: ${input.title}.`
  }
  const inViewer = () => ui.authSelectors.authorized()?.getIn([scheme, 'value']) ?? ''
  // Does nothing until the document is read; `onComplete` catches up.
  const tellViewer = () => {
    if (kept() !== '') ui.preauthorizeApiKey(scheme, kept())
    else if (inViewer() !== '') ui.authActions.logout([scheme])
  }

  show()
  // Pasted text may include the scheme, which is ignored.
  input.addEventListener('change', () => {
    input.value = input.value.trim().replace(/^Bearer\s+/i, '')
  })
  input.addEventListener('invalid', refuse)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    keep(input.value)
    tellViewer()
  })
  form.addEventListener('reset', (event) => {
    event.preventDefault()
    keep('')
    tellViewer()
    input.focus()
  })
  return {
    onComplete: () => {
      tellViewer()
      // The viewer reports every change. Text that is being typed stays, unless the token is a different one.
      ui.getStore().subscribe(() => {
        if (inViewer() !== kept()) keep(inViewer())
      })
    },
  }
}
