import { mendAccessibility } from './accessibility.js'
import { localReferences } from './local-references.js'
import { followTheme } from './theme.js'
import { connectTokenForm, refuseOtherText } from './token-form.js'

const viewer = document.getElementById('viewer')
followTheme()
mendAccessibility(viewer)

/** The path of an operation stands in the button that opens it, where a link may not be. */
const noLinkInButton = () => ({
  wrapComponents: {
    OperationSummaryPath: (Path, { React }) => {
      return (props) =>
        React.createElement(Path, { ...props, operationProps: props.operationProps.set('isDeepLinkingEnabled', false) })
    },
  },
})

const ui = window.SwaggerUIBundle({
  url: viewer.dataset.document,
  dom_id: '#viewer',
  deepLinking: true,
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  displayOperationId: false,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  syntaxHighlight: { theme: 'tomorrow-night' },
  validatorUrl: null,
  plugins: [noLinkInButton, localReferences, refuseOtherText(viewer.dataset.scheme)],
  onComplete: () => tokenForm.onComplete(),
})
const tokenForm = connectTokenForm(ui, viewer.dataset.scheme)

// The viewer reads the fragment of its address once; links of this page and "back" change it later.
addEventListener('hashchange', () => ui.layoutActions.parseDeepLinkHash(decodeURIComponent(location.hash)))
