/** The mark of the console: a way that is opened. */
export function Mark({ size = 22 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6.5" fill="var(--accent)" />
      <path
        d="M7 8.2 12 5.4l5 2.8v2.1l-5-2.8-5 2.8zM7 13.7l5-2.8 5 2.8v2.1L12 13l-5 2.8zM10.2 17.4 12 16.4l1.8 1v1.8l-1.8-1-1.8 1z"
        fill="var(--on-accent)"
      />
    </svg>
  )
}
