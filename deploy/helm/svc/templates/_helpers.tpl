{{- define "svc.name" -}}
{{- if contains "svc" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-svc" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "svc.selector" -}}
app.kubernetes.io/name: svc
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "svc.labels" -}}
{{ include "svc.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- /* What every pod of the service has: that of the migration too. */}}
{{- define "svc.pod" -}}
automountServiceAccountToken: false
# Otherwise a Service named metrics would set METRICS_PORT=tcp://…, and one named svc variables that begin with SVC_.
enableServiceLinks: false
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "svc.container" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
envFrom:
  - secretRef:
      name: {{ required "environmentSecret is needed: it holds DATABASE_URL" .Values.environmentSecret }}
{{- end }}

{{- /* The port that the container listens on, and its probes ask. */}}
{{- define "svc.port" -}}
{{ .Values.environment.PORT | default 8080 }}
{{- end }}

{{- define "svc.environment" -}}
{{- range $name, $value := omit .Values.environment "PORT" }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{- /* What is mounted into every container that uses the database. */}}
{{- define "svc.databaseMounts" -}}
{{- if or .Values.databaseCa.secretName .Values.databaseCa.configMapName }}
- { name: database-ca, mountPath: /database-ca, readOnly: true }
{{- end }}
{{- end }}

{{- define "svc.databaseVolumes" -}}
{{- with .Values.databaseCa.secretName }}
- name: database-ca
  secret: { secretName: {{ . | quote }} }
{{- end }}
{{- with .Values.databaseCa.configMapName }}
- name: database-ca
  configMap: { name: {{ . | quote }} }
{{- end }}
{{- end }}
