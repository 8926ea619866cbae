{{- define "toolpass.name" -}}
{{- $name := .Release.Name -}}
{{- if not (contains "toolpass" $name) }}{{ $name = printf "%s-toolpass" $name }}{{ end -}}
{{- trunc 63 $name | trimSuffix "-" -}}
{{- end }}

{{- define "toolpass.selector" -}}
app.kubernetes.io/name: toolpass
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "toolpass.labels" -}}
{{ include "toolpass.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "toolpass.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end }}

{{/* Refuse secrets in the values, where everyone who may read a ConfigMap would find them. Not a rule of the schema, whose
errors repeat what they refuse. */}}
{{- define "toolpass.noSecrets" -}}
{{- $places := list (dict "of" "config" "keys" .Values.config) -}}
{{- range .Values.config.api_keys }}{{ $places = append $places (dict "of" "config.api_keys" "keys" .) }}{{ end -}}
{{- range .Values.config.connections }}{{ $places = append $places (dict "of" "config.connections" "keys" .) }}{{ end -}}
{{- range $place := $places -}}
{{- range $key, $value := $place.keys -}}
{{- if and (regexMatch "^(api_key|key)$|(credential|token|secret|password)$" $key) (not (regexMatch "^(env:|file:/)" (toString $value))) -}}
{{- fail (printf "%s: %s: expected `file:/run/secrets/NAME/KEY` with NAME in `secrets`; a value here could be read by many" $place.of $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* toolpass.yaml: the values' `config`, with the keys that are the chart's. */}}
{{- define "toolpass.config" -}}
{{- include "toolpass.noSecrets" . -}}
{{- $config := deepCopy .Values.config -}}
{{- $server := deepCopy ($config.server | default dict) -}}
{{- $_ := set $server "admin_listen" ":9090" -}}
{{- if .Values.tls.secret -}}
{{- $_ := set $server "tls_cert_file" "/run/toolpass/tls/tls.crt" -}}
{{- $_ := set $server "tls_key" "file:/run/toolpass/tls/tls.key" -}}
{{- end -}}
{{- if .Values.tls.clientCaConfigMap -}}
{{- if not .Values.tls.secret }}{{ fail "tls.clientCaConfigMap: client certificates need TLS; name a Secret in tls.secret" }}{{ end -}}
{{- $_ := set $server "client_ca_file" "/etc/toolpass/client-ca/ca.crt" -}}
{{- end -}}
{{- if .Values.stores.runs.secret -}}
{{- $_ := set $server "runs_store" (printf "file:/run/toolpass/stores/runs/%s" .Values.stores.runs.key) -}}
{{- else if and (gt (int .Values.replicas) 1) (ne (toString $server.dashboard) "off") -}}
{{- fail "replicas: several servers need stores.runs, so that the dashboard of each shows the runs of all; or set config.server.dashboard to \"off\"" -}}
{{- end -}}
{{- if .Values.stores.sessions.secret -}}
{{- $_ := set $server "session_store" (printf "file:/run/toolpass/stores/sessions/%s" .Values.stores.sessions.key) -}}
{{- end -}}
{{- $_ := set $config "listen" ":8443" -}}
{{- $_ := set $config "server" $server -}}
{{- toYaml $config -}}
{{- end }}
