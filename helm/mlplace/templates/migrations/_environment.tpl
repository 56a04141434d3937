{{/* Variables of the migration job. */}}
{{- define "mlplace.prepareVariables" -}}
{{- $databases := include "mlplace.storeSecret" (dict "root" . "store" "postgresql") -}}
{{- include "mlplace.processEnvironment" (dict "root" .) }}
{{- include "mlplace.settings" .Values.settings | nindent 0 }}
{{- if or .Values.evaluation .Values.stores.postgresql.createDatabases }}
{{- range $server := ternary (list "") (list "" "ACCOUNTSADMIN_" "MLPCORE_" "MLPGATEWAY_" "MLPBILLING_") .Values.evaluation }}
{{- include "mlplace.secretVariable" (dict "name" (printf "MLP_%sADMIN_DATABASE_URL" $server) "secret" $databases "optional" true) | nindent 0 }}
{{- end }}
{{- end }}
{{- range $service := list "ACCOUNTSADMIN" "MLPCORE" "MLPGATEWAY" "MLPBILLING" }}
{{- range $role := list "" "OWNER_" }}
{{- include "mlplace.secretVariable" (dict "name" (printf "MLP_%s_%sDATABASE_URL" $service $role) "secret" $databases) | nindent 0 }}
{{- end }}
{{- end }}
- { name: MLP_PATIENCE_SECONDS, value: {{ .Values.migrations.patienceSeconds | quote }} }
{{- with .Values.tools.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
