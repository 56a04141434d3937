{{/* One small store: a StatefulSet of one pod with a volume, and its Service. Takes root, store, user, port, path and container, the text of the container's other keys, and optionally writable, folders without which the image cannot start. */}}
{{- define "mlplace.evaluationStore" -}}
{{- $values := index .root.Values.evaluationStores .store -}}
{{- $context := dict "root" .root "component" .store "name" .store -}}
apiVersion: v1
kind: Service
metadata: {{- include "mlplace.metadata" $context | nindent 2 }}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector: {{- include "mlplace.selector" $context | nindent 4 }}
  ports:
    - { name: {{ .store }}, port: {{ .port }} }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {{- include "mlplace.metadata" $context | nindent 2 }}
spec:
  replicas: 1
  serviceName: {{ include "mlplace.fullname" .root }}-{{ .store }}
  selector:
    matchLabels: {{- include "mlplace.selector" $context | nindent 6 }}
  template:
    metadata:
      labels: {{- include "mlplace.labels" $context | nindent 8 }}
    spec:
      {{- include "mlplace.podCommon" (merge (dict "values" $values) $context) | nindent 6 }}
      securityContext: {{- include "mlplace.podSecurity" (dict "user" .user) | nindent 8 }}
      terminationGracePeriodSeconds: 60
      containers:
        - name: {{ .store }}
          image: {{ $values.image | quote }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: {{ not .writesToImage }}
            capabilities: { drop: [ALL] }
          ports: [{ name: {{ .store }}, containerPort: {{ .port }} }]
          resources: {{- toYaml $values.resources | nindent 12 }}
          {{- .container | nindent 10 }}
          volumeMounts:
            - { name: data, mountPath: {{ .path }} }
            - { name: tmp, mountPath: /tmp }
            {{- range .writable }}
            - { name: tmp, mountPath: {{ . }}, subPath: {{ . | trimAll "/" | replace "/" "-" }} }
            {{- end }}
      volumes:
        - { name: tmp, emptyDir: {} }
  volumeClaimTemplates:
    - metadata:
        name: data
        labels: {{- include "mlplace.selector" $context | nindent 10 }}
      spec:
        accessModes: [ReadWriteOnce]
        {{- with .root.Values.evaluationStores.storageClass }}
        storageClassName: {{ . | quote }}
        {{- end }}
        resources: { requests: { storage: {{ $values.size }} } }
{{- end -}}
