{{- define "mlplace.agentVariables" -}}
- name: NODE_NAME
  valueFrom: { fieldRef: { fieldPath: spec.nodeName } }
- name: NODE_ADDRESS
  valueFrom: { fieldRef: { fieldPath: status.hostIP } }
- { name: CONFIGURATION, value: /run/mlplace/agent.json }
{{- with .Values.agent.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
